//go:build !linux

package main

func bounded() bool { return false }

func askLargePages() {}
