/** A response that is longer than its reader allows. */
export class TooLong extends Error {
  constructor(maxBytes: number) {
    super(`the response is longer than ${maxBytes} bytes`)
    this.name = 'TooLong'
  }
}

/** The text of a response, counted after decompression; reading stops at the limit. */
export async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => {})
      throw new TooLong(maxBytes)
    }
    text += decoder.decode(value, { stream: true })
  }
}
