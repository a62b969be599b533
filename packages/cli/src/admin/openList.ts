import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { OperatorRefused } from '@pit/server/operator'

/** Timeout of the whole download. */
const MAX_MS = 15 * 60_000

/** Streams a list from a URL or a file. Plain HTTP is allowed on localhost only. */
export async function openList(source: string): Promise<AsyncIterable<Uint8Array>> {
  if (!/^https?:/i.test(source)) {
    await stat(source).catch(() => {
      throw new OperatorRefused(`${source} does not exist.`)
    })
    return createReadStream(source)
  }
  refuseOpen(source)
  let answer: Response
  try {
    answer = await fetch(source, {
      signal: AbortSignal.timeout(MAX_MS),
      headers: { accept: 'application/xml' },
    })
  } catch (error) {
    throw new OperatorRefused(
      `${source} did not respond: ${((error as Error).cause as Error)?.message ?? error}`,
    )
  }
  // Check the URL after redirects too.
  refuseOpen(answer.url)
  if (!answer.ok || answer.body === null)
    throw new OperatorRefused(`${source} returned HTTP status ${answer.status}.`)
  return answer.body as unknown as AsyncIterable<Uint8Array>
}

function refuseOpen(text: string): void {
  const { protocol, hostname } = new URL(text)
  if (protocol !== 'https:' && hostname !== '127.0.0.1' && hostname !== 'localhost')
    throw new OperatorRefused(`${text} is not an https URL, so the list could be changed in transit.`)
}
