#!/bin/bash
# test_papers_ace.sh - test_papers.sh for the claims of ACE
PAPERS=ace . "$SRCDIR/tests/test_papers.sh"
