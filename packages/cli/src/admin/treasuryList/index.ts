export { listText } from './listText.ts'
export { readTreasuryList, type TreasuryList } from './readTreasuryList.ts'
