"""What a run knows, may spend, tells and waits for, as frozen values that travel."""
