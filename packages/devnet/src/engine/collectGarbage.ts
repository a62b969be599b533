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
 * An engine's memory is outside the JavaScript heap, so its weight never makes V8 collect the small object
 * that holds it: a dropped engine would stay until the heap itself fills. Asked for only when an engine was
 * dropped.
 */
export function collectGarbage(): void {
  collector()()
}

/**
 * The same for an engine's answers, which hold megabytes of traces each: about a millisecond, young objects
 * only.
 */
export function collectAnswers(): void {
  collector()({ type: 'minor' })
}
