/** Longer lists are cut: no client has more entity tags or encodings for one address. */
const MAX_ITEMS = 64

/** Items of a list header, trimmed. Splits at single characters, so it is linear in the header's length. */
const itemsOf = (header: string | string[] | undefined): string[] =>
  header === undefined
    ? []
    : String(header)
        .split(',', MAX_ITEMS)
        .map((item) => item.trim())

/** Whether If-None-Match has the tag. Proxies that compress make a tag weak. */
export const hasTag = (ifNoneMatch: string | undefined, tag: string): boolean =>
  itemsOf(ifNoneMatch).some((item) => item === tag || item === `W/${tag}`)

/** Whether Accept-Encoding names the encoding with a weight above zero. */
export const acceptsEncoding = (acceptEncoding: string | string[] | undefined, encoding: string): boolean =>
  itemsOf(acceptEncoding).some((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return name === encoding && (weight === undefined || Number(weight.slice(2)) > 0)
  })
