import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Polls until the value holds, and returns it: by default anything but null, undefined and false. A poll that
 * throws counts as not yet; on timeout its error is thrown.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  {
    holds = (seen: T) => seen !== null && seen !== undefined && seen !== false,
    withinMs = 30_000,
    everyMs = 20,
    said = async () => undefined,
  }: {
    holds?: (seen: T) => boolean
    withinMs?: number
    everyMs?: number
    /** Extra information for the error on timeout. */
    said?: () => unknown
  } = {},
): Promise<NonNullable<T>> {
  const lastMs = performance.now() + withinMs
  for (;;) {
    const isLast = performance.now() > lastMs
    let seen: T | undefined
    try {
      seen = await look()
      if (holds(seen)) return seen as NonNullable<T>
    } catch (error) {
      if (isLast) throw error
    }
    if (isLast) {
      const details = { seen, said: await said() }
      throw new Error(`condition not met within ${withinMs} ms: ${JSON.stringify(details, bigintText, 1)}`)
    }
    await sleep(everyMs)
  }
}

const bigintText = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
