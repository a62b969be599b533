import { breathe } from './breathe.ts'

const AT_ONCE = 500

/** An answer as bytes. Its rows are written some at a time: all at once, ten thousand would hold everyone else up. */
export async function serialise(answer: object): Promise<Buffer> {
  const { rows } = answer as { rows?: readonly unknown[] }
  if (!Array.isArray(rows) || rows.length <= AT_ONCE) return Buffer.from(JSON.stringify(answer))
  const parts: Buffer[] = []
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const text = JSON.stringify(rows.slice(from, from + AT_ONCE))
    parts.push(Buffer.from(`${from === 0 ? '' : ','}${text.slice(1, -1)}`))
    await breathe()
  }
  const rest = JSON.stringify({ ...answer, rows: undefined })
  return Buffer.concat([Buffer.from('{"rows":['), ...parts, Buffer.from(`],${rest.slice(1)}`)])
}
