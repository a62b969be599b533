import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Looks again and again until what it sees holds, and answers that. What holds is what is neither null,
 * undefined nor false, or what `holds` says. A look that throws is taken for not yet; in the end its error is
 * thrown.
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
    /** What else to tell when it never holds. */
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
      const told = { seen, said: await said() }
      throw new Error(`it did not hold within ${withinMs} ms: ${JSON.stringify(told, bigintText, 1)}`)
    }
    await sleep(everyMs)
  }
}

const bigintText = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
