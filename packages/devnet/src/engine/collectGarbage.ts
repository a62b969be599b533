import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * An engine's memory is outside the JavaScript heap, so its weight never makes V8 collect the small object that holds
 * it: a dropped engine would stay until the heap itself fills. Asked for only when an engine was dropped.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}
