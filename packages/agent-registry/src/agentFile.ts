import { shortText } from './types.ts'

/** Longer files are not read: an owner chooses their text. */
const MAX_URI_CHARS = 32_768
const DATA_JSON = /^data:application\/json(?:;charset=utf-8)?(;base64)?,([\s\S]*)$/i

/**
 * The name in an agent's registration file, if the registry holds the file itself. External files are not
 * fetched: the owner controls the URL and could return a different file to every reader.
 */
export function nameIn(uri: string): string | null {
  if (uri.length > MAX_URI_CHARS) return null
  const match = DATA_JSON.exec(uri)
  if (!match) return null
  try {
    const text = match[1] ? Buffer.from(match[2]!, 'base64').toString('utf8') : decodeURIComponent(match[2]!)
    const { name } = JSON.parse(text)
    return typeof name === 'string' ? shortText(name) : null
  } catch {
    return null
  }
}
