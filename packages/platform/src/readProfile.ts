import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { ChainProfile, checkWith } from '@pit/protocol'

const LOOK_EVERY_MS = 100

export class ProfileError extends Error {}

/** Reads the chain profile, waiting for a devnet that is still writing its first one. */
export async function readProfile({
  file,
  waitMs,
  ending,
}: {
  file: string
  waitMs: number
  /** Told to end, nobody waits for it any more. */
  ending?: AbortSignal
}): Promise<ChainProfile> {
  const deadline = Date.now() + waitMs
  for (;;) {
    try {
      return parseProfile(file, await readFile(file, 'utf8'))
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (!missing) throw error
      if (Date.now() >= deadline) {
        throw new ProfileError(`no chain profile at ${file}: set PROFILE, or start the devnet first`)
      }
    }
    await sleep(LOOK_EVERY_MS, undefined, ending ? { signal: ending } : {})
  }
}

function parseProfile(file: string, text: string): ChainProfile {
  let profile: unknown
  try {
    profile = JSON.parse(text)
  } catch {
    throw new ProfileError(`${file} is not JSON`)
  }
  const checked = checkWith(ChainProfile, profile)
  if (!checked.ok) throw new ProfileError(`${file}: ${checked.field}: ${checked.message}`)
  return profile as ChainProfile
}
