export { openAuth } from './openAuth.ts'
export { changeDivision, divisionOf } from './store.ts'
