/** Where the wallet's frame is, and which pages it may be in. A file of the server, not its API. */
export interface WalletPlace {
  /** WALLET_ORIGIN; null without one. */
  origin: string | null
  /** Origins of the site. */
  site: readonly string[]
}

export async function readWalletPlace(): Promise<WalletPlace> {
  const answer = await fetch('/wallet.json')
  if (!answer.ok) throw new Error(`The wallet’s place could not be loaded (HTTP status ${answer.status}).`)
  return (await answer.json()) as WalletPlace
}
