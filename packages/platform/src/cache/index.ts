export { type Cache, createCache } from './cache.ts'
export { createSharedTexts, type SharedTexts } from './sharedTexts.ts'
