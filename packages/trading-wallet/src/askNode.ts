export class WalletRefusal extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.name = 'WalletRefusal'
    this.code = code
  }
}

/** A wallet's own call to its node. */
export async function askNode(url: string, method: string, params: unknown): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await answer.json()) as {
    result?: unknown
    error?: { code: number; message: string }
  }
  if (error)
    throw Object.assign(new WalletRefusal(error.code, error.message), { data: (error as never)['data'] })
  return result
}
