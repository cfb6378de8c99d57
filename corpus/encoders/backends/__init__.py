"""Programs that run an encoder: OpenVINO, torch, an endpoint."""
