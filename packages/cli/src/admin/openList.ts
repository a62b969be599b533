import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { OperatorRefused } from '@pit/server/operator'

/** The whole of a slow download. */
const MAX_MS = 15 * 60_000

/** A list's bytes as they come, from an address or a file. Plain HTTP is this machine's only. */
export async function openList(source: string): Promise<AsyncIterable<Uint8Array>> {
  if (!/^https?:/i.test(source)) {
    await stat(source).catch(() => {
      throw new OperatorRefused(`there is no ${source}`)
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
      `${source} does not answer: ${((error as Error).cause as Error)?.message ?? error}`,
    )
  }
  // Where it was sent on to counts too.
  refuseOpen(answer.url)
  if (!answer.ok || answer.body === null) throw new OperatorRefused(`${source} answers ${answer.status}`)
  return answer.body as unknown as AsyncIterable<Uint8Array>
}

function refuseOpen(text: string): void {
  const { protocol, hostname } = new URL(text)
  if (protocol !== 'https:' && hostname !== '127.0.0.1' && hostname !== 'localhost')
    throw new OperatorRefused(`${text} is not https: anybody on the way could write the list`)
}
