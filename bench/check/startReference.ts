import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Reference {
  pid: number
  /** Does the fixed work once. */
  work(): Promise<void>
  /** From now on does a tenth of it ten times a second. */
  startTicks(): Promise<void>
  close(): void
}

/** Starts bench/reference. */
export async function startReference(): Promise<Reference> {
  const child = spawn(process.execPath, ['dist/bench/reference.js'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  const url = String(line).trim()
  const post = async (path: string): Promise<void> => {
    const answer = await fetch(url + path, { method: 'POST', body: JSON.stringify({ of: 'bench/check' }) })
    await answer.arrayBuffer()
  }
  return {
    pid: child.pid!,
    work: () => post('/'),
    startTicks: () => post('/ticks'),
    close: () => void child.kill(),
  }
}
