import type { SharedTexts } from '../src/cache/sharedTexts.ts'

/** Shared texts of a process that does not share. */
export const ownTexts: Pick<SharedTexts, 'load'> = {
  load: async (_name, forMs, read) => ({ text: await read(), ageMs: 0, leftMs: forMs, isOwn: true }),
}
