import type { Rpc, RpcCall, RpcFailure } from '../own/rpc.ts'

/** Calls in one exchange: public nodes limit the size of a batch. */
const CHUNK = 40

/** Many calls, in order, a few at a time. */
export async function readInChunks(
  rpc: Rpc,
  calls: readonly RpcCall[],
  { signal, onDone }: { signal?: AbortSignal | undefined; onDone?(done: number): void } = {},
): Promise<(unknown | RpcFailure)[]> {
  const answers: (unknown | RpcFailure)[] = []
  for (let from = 0; from < calls.length; from += CHUNK) {
    answers.push(...(await rpc.all(calls.slice(from, from + CHUNK), signal)))
    onDone?.(answers.length)
  }
  return answers
}
