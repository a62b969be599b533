// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Keeps a quarter of every sale for its owner.
contract SellTaxed is Specimen {
    uint256 public constant TAX_BPS = 2500;

    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}

    function _move(address from, address to, uint256 value) internal override {
        uint256 tax = isMarket[to] && from != owner && to != owner ? value * TAX_BPS / 10_000 : 0;
        super._move(from, to, value - tax);
        if (tax != 0) super._move(from, owner, tax);
    }
}
