/** Flags of node for a short-lived process: optimizing the embedded store's code takes longer than it saves. */
export const SHORT_LIVED = ['--liftoff-only']
