# REDUX adds integers only.
TYPES_warp-redux := int
