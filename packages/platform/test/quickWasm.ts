/**
 * For processes that live for seconds: V8 otherwise spends more on optimising the embedded store's code than the
 * tests spend in it.
 */
export const QUICK_WASM = ['--liftoff-only']
