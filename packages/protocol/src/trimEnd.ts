/** The text without the character at its end, however often. Linear, unlike a search for `/+$`. */
export function trimEnd(text: string, char: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === char) end--
  return text.slice(0, end)
}
