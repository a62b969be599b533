import { readFileSync } from 'node:fs'

export interface Block {
  file: string
  /** Line number of its first line of code. */
  line: number
  language: 'sh' | 'ts'
  code: string
}

/** Starts the world of the tutorials: the last line of a block marked `sh start`. */
export const START = 'npx @pit/cli devnet'

/** Blocks that are shown and not run: output, diagrams, data. */
const SHOWN: ReadonlySet<string> = new Set(['text', 'json'])
const FENCE = /^```(.*)$/

/**
 * A document's code. A fence is `sh` or `ts` (run), either with `no-run` (cannot run here: it installs, or it
 * needs another chain), `sh start` (the world of the test was started by it), or `text` or `json`; any other mark
 * is an error, so that no block is skipped unnoticed.
 */
export function blocksOf(file: string): { run: Block[]; notRun: number; unknown: string[] } {
  const blocks = { run: [] as Block[], notRun: 0, unknown: [] as string[] }
  let open: { mark: string; line: number; code: string[] } | null = null
  for (const [i, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    const mark = FENCE.exec(text)?.[1]?.trim()
    if (mark === undefined) open?.code.push(text)
    else if (open === null) open = { mark, line: i + 2, code: [] }
    else {
      sort(file, open, blocks)
      open = null
    }
  }
  if (open) blocks.unknown.push(`${file}:${open.line - 1} is never closed`)
  return blocks
}

function sort(
  file: string,
  { mark, line, code }: { mark: string; line: number; code: string[] },
  blocks: ReturnType<typeof blocksOf>,
): void {
  const [language = '', ...flags] = mark.split(' ')
  const isCode = language === 'sh' || language === 'ts'
  if (isCode && flags.length === 0) blocks.run.push({ file, line, language, code: code.join('\n') })
  else if (mark === 'sh start' && code.at(-1) === START) return
  else if ((isCode && flags.join() === 'no-run') || (SHOWN.has(language) && flags.length === 0))
    blocks.notRun++
  else blocks.unknown.push(`${file}:${line - 1} is marked "${mark}"`)
}
