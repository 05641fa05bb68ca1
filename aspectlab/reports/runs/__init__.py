"""Reports on runs: tables and pictures with spread, significance and what papers printed."""
