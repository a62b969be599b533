/** Look-alike characters and the one each is replaced by, on both sides of a comparison. */
const LOOKALIKES: Record<string, string> = {
  // Cyrillic
  а: 'a',
  в: 'b',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  ғ: 'f',
  ɡ: 'g',
  һ: 'h',
  і: 'i',
  ј: 'j',
  к: 'k',
  ӏ: 'l',
  м: 'm',
  п: 'n',
  о: 'o',
  р: 'p',
  ԛ: 'q',
  г: 'r',
  ѕ: 's',
  т: 't',
  ѵ: 'v',
  ԝ: 'w',
  х: 'x',
  у: 'y',
  н: 'h',
  // Greek
  α: 'a',
  β: 'b',
  ϲ: 'c',
  δ: 'd',
  ε: 'e',
  η: 'n',
  ι: 'i',
  κ: 'k',
  μ: 'm',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
  γ: 'y',
  ζ: 'z',
  σ: 'o',
  ω: 'w',
  λ: 'l',
  // Latin beyond ASCII that NFKD leaves whole
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ħ: 'h',
  ŧ: 't',
  ƅ: 'b',
  ɑ: 'a',
  ɩ: 'i',
  ᴇ: 'e',
  ᴛ: 't',
  ᴡ: 'w',
  ᴅ: 'd',
  ᴀ: 'a',
  ʙ: 'b',
  ᴄ: 'c',
  ɢ: 'g',
  ʜ: 'h',
  ɪ: 'i',
  ᴊ: 'j',
  ᴋ: 'k',
  ʟ: 'l',
  ᴍ: 'm',
  ɴ: 'n',
  ᴏ: 'o',
  ᴘ: 'p',
  ʀ: 'r',
  ᴜ: 'u',
  ᴠ: 'v',
  ʏ: 'y',
  ᴢ: 'z',
  ꜱ: 's',
  // Digits and signs
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  $: 's',
  '@': 'a',
  '€': 'e',
  '|': 'l',
}

/** A text reduced to what it looks like: no case, accents, spaces, signs or look-alike letters. */
export function skeleton(text: string): string {
  let folded = ''
  for (const char of text.normalize('NFKD').toLowerCase().normalize('NFKD')) {
    const plain = LOOKALIKES[char] ?? char
    if (/[\p{L}\p{N}]/u.test(plain)) folded += plain
  }
  // l, i and 1 look alike in most fonts.
  return folded.replaceAll('i', 'l')
}

export interface ProtectedAsset {
  address: string
  symbol: string
  name: string
}

export type Impersonation = (token: {
  address: string
  symbol: string
  name: string
}) => ProtectedAsset | null

/** Finds the asset whose symbol or name a token imitates; null for the assets themselves. */
export function createImpersonation(assets: readonly ProtectedAsset[]): Impersonation {
  const own = new Set(assets.map(({ address }) => address.toLowerCase()))
  const bySymbol = new Map(assets.map((asset) => [skeleton(asset.symbol), asset]))
  const byName = new Map(assets.map((asset) => [skeleton(asset.name), asset]))
  return ({ address, symbol, name }) => {
    if (own.has(address.toLowerCase())) return null
    const [asSymbol, asName] = [skeleton(symbol), skeleton(name)]
    return bySymbol.get(asSymbol) ?? byName.get(asName) ?? null
  }
}
