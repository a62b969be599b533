import { readFile } from 'node:fs/promises'
import { ChainProfile, checkWith } from '@pit/protocol'
import { systemClock, type Timer } from '../clock/clock.ts'
import { lookUntil } from '../clock/lookUntil.ts'

const LOOK_EVERY_MS = 100

export class ProfileError extends Error {}

/** Reads the chain profile, waiting for a devnet that is still writing its first one. */
export async function readProfile({
  file,
  waitMs,
  ending,
  clock = systemClock,
}: {
  file: string
  waitMs: number
  /** Aborts the wait. */
  ending?: AbortSignal
  clock?: Timer
}): Promise<ChainProfile> {
  const text = await lookUntil(clock, () => readIfThere(file), {
    holds: (found) => found !== null,
    withinMs: waitMs,
    everyMs: LOOK_EVERY_MS,
    ...(ending ? { signal: ending } : {}),
  })
  if (text !== null) return parseProfile(file, text)
  ending?.throwIfAborted()
  throw new ProfileError(`no chain profile at ${file}: set PROFILE, or start the devnet first`)
}

const readIfThere = (file: string): Promise<string | null> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })

function parseProfile(file: string, text: string): ChainProfile {
  let profile: unknown
  try {
    profile = JSON.parse(text)
  } catch {
    throw new ProfileError(`${file} is not valid JSON`)
  }
  const checked = checkWith(ChainProfile, profile)
  if (!checked.ok) throw new ProfileError(`${file}: ${checked.field}: ${checked.message}`)
  return profile as ChainProfile
}
