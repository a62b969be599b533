// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {CoreToken} from "./CoreToken.sol";

/// @title Bitcoin, wrapped.
contract CbBTC is CoreToken {
    constructor() CoreToken("Coinbase Wrapped BTC", "cbBTC", 8) {}
}
