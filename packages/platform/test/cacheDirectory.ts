import { fileURLToPath } from 'node:url'

/** Cache of initialised stores across test runs. Safe to delete. */
export const CACHE_DIRECTORY = fileURLToPath(new URL('../../../.cache/stores', import.meta.url))
