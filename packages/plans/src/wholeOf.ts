/** Atoms as a decimal text, exact, without zeros at its end. */
export function wholeOf(atoms: bigint, decimals: number): string {
  const digits = atoms.toString().padStart(decimals + 1, '0')
  const at = digits.length - decimals
  const fraction = digits.slice(at).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, at) : `${digits.slice(0, at)}.${fraction}`
}
