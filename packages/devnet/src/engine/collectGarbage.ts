import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options?: { type: 'minor' }) => void
let collect: Collect | undefined

function collector(): Collect {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  return collect
}

/**
 * An engine's memory is outside the JavaScript heap, so its size never triggers a collection: a dropped
 * engine would stay until the heap fills. Called only when an engine was dropped.
 */
export function collectGarbage(): void {
  collector()()
}

/** The same for an engine's responses, which hold megabytes of traces: about 1 ms, young objects only. */
export function collectAnswers(): void {
  collector()({ type: 'minor' })
}
