"""What several tests share: made-up data, stand-ins, processes."""
