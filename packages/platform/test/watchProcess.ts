import WebSocket from 'ws'

/** A CPU profile from V8's inspector. */
export interface CpuProfile {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
    children?: number[]
  }[]
  samples: number[]
  timeDeltas: number[]
}

/** Environment of a process that can be profiled. */
export const WATCHED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }
const EVERY_US = 200

/** Profiles a process while `work` runs; `output` is its output so far. */
export async function watchProcess(output: string): Promise<{
  during(work: () => Promise<void>): Promise<CpuProfile>
  close(): void
}> {
  const url = /Debugger listening on (ws:\S+)/.exec(output)?.[1]
  if (!url) throw new Error('the process has no inspector')
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const waiting = new Map<number, (result: unknown) => void>()
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
  })
  let nextId = 0
  const ask = <T>(method: string, params: object = {}): Promise<T> =>
    new Promise((resolve) => {
      const id = ++nextId
      waiting.set(id, (result) => resolve(result as T))
      socket.send(JSON.stringify({ id, method, params }))
    })
  await ask('Profiler.enable')
  await ask('Profiler.setSamplingInterval', { interval: EVERY_US })
  return {
    async during(work) {
      await ask('Profiler.start')
      await work()
      return (await ask<{ profile: CpuProfile }>('Profiler.stop')).profile
    },
    close: () => socket.close(),
  }
}
