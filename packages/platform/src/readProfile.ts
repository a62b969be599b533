import { readFile } from 'node:fs/promises'
import { ChainProfile, checkWith } from '@pit/protocol'

const LOOK_EVERY_MS = 100

export class ProfileError extends Error {}

/** Reads the chain profile, waiting for a devnet that is still writing its first one. */
export async function readProfile({ file, waitMs }: { file: string; waitMs: number }): Promise<ChainProfile> {
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
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
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
