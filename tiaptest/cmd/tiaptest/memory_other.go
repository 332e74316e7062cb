//go:build !linux

package main

func askLargePages(int) {}
