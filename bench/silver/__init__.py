"""Claims that a teacher writes about passages and labels, to train and measure verifiers on."""
