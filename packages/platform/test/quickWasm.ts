/**
 * For processes that live for seconds: V8 otherwise spends more on optimising the embedded store's code than
 * the tests spend in it. Not for benches, which measure the real thing.
 */
export const QUICK_WASM = ['--liftoff-only']
