import { createSigner, type SignerCalls } from './signer.ts'

// The key lives here. The worker's own policy (default-src 'none') lets it load and send nothing.

const signer = createSigner()

export interface SignerCall {
  id: number
  name: keyof SignerCalls
  input: never
}
export type SignerAnswer =
  | { id: number; result: unknown }
  | { id: number; error: { name: string; code: unknown; message: string } }

self.addEventListener('message', async ({ data }: MessageEvent<SignerCall>) => {
  const { id, name, input } = data
  try {
    const result: unknown = await signer[name](input)
    self.postMessage({ id, result } satisfies SignerAnswer)
  } catch (cause) {
    const { name: errorName, message, code } = cause as Error & { code?: unknown }
    self.postMessage({ id, error: { name: errorName, message, code } } satisfies SignerAnswer)
  }
})
