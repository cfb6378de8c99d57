"""Silver sets: claims that a teacher writes and labels, to train and measure verifiers on."""
