import { readdirSync, readFileSync } from 'node:fs'

/** Processor time of a process so far, all its threads, in milliseconds. Linux only. */
export function processorMs(pid: number): number {
  return [...threadMs(pid).values()].reduce((sum, ms) => sum + ms, 0)
}

/** The same by thread; the main thread has the id of the process. */
export function threadMs(pid: number): Map<number, number> {
  return new Map(
    readdirSync(`/proc/${pid}/task`).map((id) => {
      const ns = readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ', 1)[0]
      return [Number(id), Number(ns) / 1e6]
    }),
  )
}
