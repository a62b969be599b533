import type { SharedTexts } from '../src/sharedTexts.ts'

/** Of a process that shares with nobody. */
export const ownTexts: Pick<SharedTexts, 'load'> = {
  load: async (_name, forMs, read) => ({ text: await read(), ageMs: 0, leftMs: forMs, isOwn: true }),
}
