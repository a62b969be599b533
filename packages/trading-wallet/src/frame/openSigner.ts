import type { SignerCalls } from '../signer.ts'
import type { SignerAnswer, SignerCall } from '../signerWorker.ts'
import workerUrl from '../signerWorker.ts?worker&url'

export interface Signer {
  call<Name extends keyof SignerCalls>(
    name: Name,
    input: Parameters<SignerCalls[Name]>[0],
  ): ReturnType<SignerCalls[Name]>
  /** Ends the worker, and the key with it. */
  end(): void
}

interface Policy {
  createScriptURL(url: string): string
}
interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy
}
const ONLY_OURS: Policy = {
  createScriptURL(url) {
    if (url !== workerUrl) throw new TypeError('another script than the signer')
    return url
  },
}
const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
const POLICY: Policy = trustedTypes?.createPolicy('pit-signer', ONLY_OURS) ?? ONLY_OURS

/** A dedicated worker holds the key. */
export function openSigner(): Signer {
  const worker = new Worker(POLICY.createScriptURL(workerUrl), { type: 'module' })
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>()
  let lastId = 0
  const fail = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  worker.addEventListener('message', ({ data }: MessageEvent<SignerAnswer>) => {
    const one = waiting.get(data.id)
    waiting.delete(data.id)
    if ('error' in data) one?.reject(Object.assign(new Error(data.error.message), data.error))
    else one?.resolve(data.result as never)
  })
  worker.addEventListener('error', () => fail(new Error('The wallet’s worker stopped. Reload the page.')))
  return {
    call: (name, input) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        worker.postMessage({ id, name, input } as SignerCall)
      }) as never,
    end() {
      worker.terminate()
      fail(new Error('The wallet was locked.'))
    },
  }
}
