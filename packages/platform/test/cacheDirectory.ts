import { fileURLToPath } from 'node:url'

/** Initialised stores, so that each test run does not make them anew. Safe to delete. */
export const CACHE_DIRECTORY = fileURLToPath(new URL('../../../.cache/stores', import.meta.url))
