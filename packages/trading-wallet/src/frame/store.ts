import { parseFile, type WalletFile } from '../walletFile.ts'

const PLACE = 'pit.tradingWallet'

/** The wallet's record in this origin's storage; `damaged` if it cannot be read. */
export function readRecord(): WalletFile | 'damaged' | null {
  const text = window.localStorage.getItem(PLACE)
  if (text === null) return null
  try {
    const file = parseFile(text)
    return file.pit && file.address ? file : 'damaged'
  } catch {
    return 'damaged'
  }
}

export function writeRecord(file: WalletFile): void {
  window.localStorage.setItem(PLACE, JSON.stringify(file))
  // Without it a browser short of space may delete the record.
  void navigator.storage?.persist?.()
}

export const removeRecord = (): void => window.localStorage.removeItem(PLACE)

/** Another tab created, changed or removed it. */
export function onRecordChange(listener: () => void): void {
  window.addEventListener('storage', ({ key }) => {
    if (key === PLACE || key === null) listener()
  })
}
