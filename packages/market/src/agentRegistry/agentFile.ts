import { shortText } from './types.ts'

/** Longer files are not read: an owner chooses their text. */
const MAX_URI_CHARS = 32_768
const DATA_JSON = /^data:application\/json(?:;charset=utf-8)?(;base64)?,([\s\S]*)$/i

/**
 * The name in an agent's registration file where the registry holds the file itself. One that lies elsewhere
 * is not fetched: its owner chooses the address, and could change it with every reader.
 */
export function nameIn(uri: string): string | null {
  if (uri.length > MAX_URI_CHARS) return null
  const found = DATA_JSON.exec(uri)
  if (!found) return null
  try {
    const text = found[1] ? Buffer.from(found[2]!, 'base64').toString('utf8') : decodeURIComponent(found[2]!)
    const { name } = JSON.parse(text)
    return typeof name === 'string' && name.trim() !== '' ? shortText(name.trim()) : null
  } catch {
    return null
  }
}
