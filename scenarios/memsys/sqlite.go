package memsys

import _ "modernc.org/sqlite" // reads Mem0's history
