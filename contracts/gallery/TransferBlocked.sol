// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Trades with its markets; any other holder-to-holder transfer reverts.
contract TransferBlocked is Specimen {
    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}

    error MarketsOnly();

    function _move(address from, address to, uint256 value) internal override {
        if (!isMarket[from] && !isMarket[to] && from != owner) revert MarketsOnly();
        super._move(from, to, value);
    }
}
