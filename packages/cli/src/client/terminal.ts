import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { markInvisible } from '@pit/protocol'

/** Input and output of a command. Data goes to stdout, messages to stderr, so that data can be piped. */
export interface Terminal {
  isInteractive: boolean
  data(text: string): void
  say(text: string): void
  /** Shows progress; call the result to end it. */
  progress(text: string): () => void
  confirm(question: string): Promise<boolean>
  askSecret(question: string): Promise<string>
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export function openTerminal(): Terminal {
  const { stdin, stdout, stderr } = process
  const isInteractive = stdin.isTTY === true && stderr.isTTY === true
  const ask = async (question: string, shown: boolean): Promise<string> => {
    const output = shown ? stderr : new Writable({ write: (_chunk, _encoding, done) => done() })
    // Create this first: it turns off echo.
    const lines = createInterface({ input: stdin, output, terminal: isInteractive })
    if (!shown) stderr.write(question)
    try {
      return await lines.question(shown ? question : '')
    } finally {
      lines.close()
      if (!shown) stderr.write('\n')
    }
  }
  // A closed pipe must not abort a running trade.
  for (const stream of [stdout, stderr]) stream.on('error', ignoreClosedPipe)
  return {
    isInteractive,
    data: (text) => stdout.write(`${printable(text)}\n`, endOnClosedPipe),
    say: (text) => stderr.write(`${printable(text)}\n`),
    progress(label) {
      const text = plain(label)
      if (!isInteractive) {
        stderr.write(`${text}\n`)
        return () => {}
      }
      let at = 0
      const timer = setInterval(() => stderr.write(`\r${FRAMES[at++ % FRAMES.length]} ${text}`), 80)
      return () => {
        clearInterval(timer)
        stderr.write(`\r\x1b[K`)
      }
    },
    confirm: async (question) => /^y(es)?$/i.test((await ask(`${printable(question)} [y/N] `, true)).trim()),
    askSecret: (question) => ask(printable(question), false),
  }
}

const isClosedPipe = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.code === 'EPIPE'

function ignoreClosedPipe(error: Error): void {
  if (!isClosedPipe(error)) throw error
}

/** Ends quietly when the reader closes the pipe, as in `pit … | head`. */
function endOnClosedPipe(error?: Error | null): void {
  if (isClosedPipe(error)) process.exit()
}

/** Aligns columns; control characters in untrusted text are replaced. */
export function table(rows: readonly (readonly (string | number | null)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => plain(cell === null ? '–' : String(cell))))
  const widths = (cells[0] ?? []).map((_, i) => Math.max(...cells.map((row) => (row[i] ?? '').length)))
  return cells
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const plain = (text: string): string => markInvisible(text, '�')

/** Line breaks and tabs stay. Every output passes here, whatever server or chain it quotes. */
export const printable = (text: string): string =>
  markInvisible(text, (char) => (char === '\n' || char === '\t' ? char : '�'))

/** Keeps line breaks; indents continuation lines, so that none can imitate a line of this command. */
export const plainLines = (text: string): string => text.split(/\r?\n/).map(plain).join('\n  ')
