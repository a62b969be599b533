import { privateKeyToAccount } from 'viem/accounts'

// Signs in as a client would and prints a key: the devnet's funded account 1, or the wallet in PRIVATE_KEY.
const DEVNET_ACCOUNT_1 = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'

const api = `http://127.0.0.1:${process.env['PORT'] ?? '4663'}/api/v1`
const wallet = privateKeyToAccount((process.env['PRIVATE_KEY'] ?? DEVNET_ACCOUNT_1) as `0x${string}`)

async function post<T>(path: string, body: object): Promise<T> {
  const response = await fetch(`${api}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    console.error(`No server at ${api}: start one with "npm start".`)
    process.exit(1)
  })
  const answer = (await response.json()) as T & { error: { code: string; message: string } }
  if (!response.ok) {
    console.error(`${response.status} ${answer.error.code}: ${answer.error.message}`)
    process.exit(1)
  }
  return answer
}

const challenge = await post<{ message: string; nonce: string; chain_id: number }>('auth/challenge', {
  address: wallet.address,
})
// A client signs only a message with its own address and this chain.
if (!challenge.message.includes(`\n${wallet.address}\n`) || challenge.chain_id !== 4663) {
  console.error('The challenge names another address or chain; nothing signed.')
  process.exit(1)
}
const signature = await wallet.signMessage({ message: challenge.message })
const key = await post<{ api_key: string; wallet: string; expires_at: number }>('auth/verify', {
  address: wallet.address,
  signature,
  nonce: challenge.nonce,
})
console.log(`wallet   ${key.wallet}
key      ${key.api_key}
expires  ${new Date(key.expires_at * 1000).toISOString()}

  curl -s ${api}/auth/me -H 'Authorization: Bearer ${key.api_key}'`)
